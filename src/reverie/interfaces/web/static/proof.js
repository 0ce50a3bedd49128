// Keeps what shows for a while that the right passphrase was typed in this tab: for this
// origin, its port included, where a cookie would be shown to every port of this machine.
"use strict";

const { place, proof } = document.documentElement.dataset;
sessionStorage.setItem(`proof ${place}`, proof);
