"""`reverie up`: one small local service for everything that is connected."""
