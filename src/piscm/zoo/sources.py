"""Where the benchmarks come from."""

PAPER = (
    "Y. Song, Z. Chen, L. Cen, L. Wu, K. Zhang: Physics-Informed Stochastic Configuration Machine: "
    "A Backpropagation-Free Neural Network with Fast Training for Nonlinear Differential Equations"
)
