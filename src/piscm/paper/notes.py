"""Why a row lies above the paper's, where it does."""

_PINN = (
    "Open. The paper gives layers, optimizer, epochs and the first learning rate of its PINNs, and "
    "not how the rate goes on, how weights begin and how conditions are weighed."
)

WHY = {
    f"{table}/{kind}-{size}/{paradigm}": _PINN
    for table, kind in (
        ("table-1", "pinn"),
        ("table-2", "pinn"),
        ("table-3", "vs-pinn"),
        ("table-4", "pinn"),
        ("table-5", "pinn"),
    )
    for size in ("shallow", "deep")
    for paradigm in ("unsupervised", "semi-supervised", "inverse")
}
"""A sentence for a row; the report asks for those with the verdict "worse"."""
WHY["table-1/piscn/semi-supervised"] = (
    "The paper's settings for it do not work (see below); ours were chosen with observations at "
    "random."
)
