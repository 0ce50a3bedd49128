"""Several agents in one workspace: who proposes, who decides, what they are told."""
