"""Loaded by the process that workers are forked from: what is loaded on first use is there."""

from piscm.paper.trial import run_trial

for _key in (
    "table-1/scipy/unsupervised",
    "table-2/pi-sc-iii/semi-supervised",
    "table-4/pi-sc-iii/inverse",
):
    run_trial(_key, 0, quick=True)
