"""The parts of the report that no measurement changes."""

from piscm.paper.page import Bullets, Section, Text

READING = Section(
    "How to read the tables",
    [
        Bullets(
            [
                "Means are arithmetic, sd is the sample's standard deviation; of one trial there "
                "is none. Where a few trials went astray, they carry mean and sd, and the median "
                "says what a typical trial gives.",
                "The verdict compares our mean error with the paper's printed mean ± sd. Worse: "
                "above its mean + 1 sd. Better: below its mean - 1 sd, or below half its mean "
                "(some printed sd are as large as the mean). As printed: in between. Our own "
                "scatter is not in the rule, so that with few trials a verdict may turn by chance.",
                "The paper's numbers are means of 100 trials on another machine. Times are "
                "therefore not judged; ratios of times within this run stand in a section of "
                "their own.",
                "A trial that failed is counted and named, and is in no mean.",
                "Tuned rows are rivals with better settings than the paper gives them; they, and "
                "rows of our own choice, are marked as not in the paper.",
            ]
        ),
    ],
)

PAPER_READ = Section(
    "How the paper was read",
    [
        Text(
            "Its text leaves some things open. The numbers above were made with these readings; of "
            "those that were tried they come closest to its tables, unless it is said otherwise."
        ),
        Bullets(
            [
                "The contraction index moves on for good each time a range of candidates fails, "
                "and is not reset for the next node; past the end of its ladder any strict "
                "decrease of the residual is admissible.",
                "Weights and biases are drawn in the units of the physical coordinates. "
                "Allen–Cahn is solved in unstretched coordinates and needs scale 50 there, not 15.",
                "The correction solves for the new output weights, not for their increments.",
                "Van der Pol, inverse: the data have ten times the stated weight. With the stated "
                "one the error of μ is larger for all three algorithms, always to the same side. "
                "PINNs and random features have the same weight in Table IV.",
                "How the points are drawn is not said: Latin hypercube points are used.",
                "PINNs have the paper's layers, optimizer, epochs and first learning rate. It does "
                "not say how the rate goes on or how weights begin: a half wave down to zero and "
                "PyTorch's own initialization come nearest to its figures (with a constant rate "
                "the deep network ends anywhere). Adam runs in single precision, L-BFGS in double. "
                "The time of a run includes compiling it.",
                "PISCN is not run with 300 nodes of scale 15, which are PI-SCM's settings: they "
                "meet the 100 labels exactly and nothing between them. 50 nodes of scale 5 were "
                "chosen because they come near the paper's figure.",
                "PIELM has tanh nodes with weights in [-1, 1], which is the plainest reading.",
                "Tuned rows were tuned by their error on one or two seeds, which are among those "
                "of the tables: if anything they flatter the rival.",
            ]
        ),
    ],
)

WORTH = Section(
    "What a mesh-free network buys, and what it does not",
    [
        Text(
            "For a plain forward problem in one or two dimensions on a box, a classical solver is "
            "the right tool: its rows above are the fastest, and more digits cost it little. (Its "
            "resolution was fitted to the accuracy once, against the known solution; a user would "
            "refine until nothing changes.) Nothing in this report is an argument against it. What "
            "the network gives instead:"
        ),
        Bullets(
            [
                "One closed-form function over all coordinates at once. For Van der Pol it covers "
                "every drive U, where an integrator gives one path for one drive; it can be "
                "evaluated anywhere and differentiated exactly, without interpolation.",
                "Data in the same least-squares problem as the equation: scattered, few, of any "
                "expression of the field, and with incomplete conditions.",
                "Unknown parameters in the same solve, with error bars, from a bad first guess. A "
                "classical solver needs an optimizer around it; where one forward solution is "
                "cheap, that is quick too, as the rows of SciPy in the inverse tables show.",
                "No mesh and no discretization to write: the equation as text is the program.",
            ]
        ),
        Text("And what it does not give:"),
        Bullets(
            [
                "Speed against a classical solver in low dimension.",
                "Growth by itself. Random features of the right scale, fitted all at once by "
                "Gauss–Newton, are the yardstick that the paper leaves out: their rows show how "
                "much of the accuracy is due to least squares, and not to choosing nodes.",
                "Freedom from settings. The paper's methods, PIELM and random features all stand "
                "or fall with the scale of the hidden weights. Auto finds one, and pays in time.",
                "Guarantees. The residual is minimized and an error estimated, but nothing warns "
                "of a problem with too few conditions, which has many solutions.",
                "An advantage over a PINN in every respect: gradients need no linear algebra, so "
                "that larger networks and more points than a least-squares problem can hold are "
                "within their reach.",
            ]
        ),
    ],
)
