"""The report's statistics: plain values in, plain values out, no data frame, no disk, no clock.

Callers hand over every scheduled pair of a cell; each figure says how many it
rests on and why the others are not in it. Percent shares are 0..1, correctness
and lift are points of 0..100, ratios are without/with, so that over 1 means mm
is faster or cheaper.
"""

from mmbench.report.stats.arms import ArmSummary, arm_summary, pass_at, pass_hat, pass_rate
from mmbench.report.stats.compare import CaseDifference, Comparison, compare
from mmbench.report.stats.decision import MARGIN, Design, Verdict, designs_needed, verdict, verdicts
from mmbench.report.stats.drift import Course, Placed, Slope, order_effect, position_drift
from mmbench.report.stats.effect import Adoption, Lift, adoption, exclusion_bounds, lift, per_protocol
from mmbench.report.stats.exact import SignFlip, clopper_pearson, holm, mcnemar, share_interval, sign_flip
from mmbench.report.stats.pairs import PairScore, case_gains, case_means, excluded, sound
from mmbench.report.stats.ranking import Offer, Rank, Ranked, pareto_front, ranking
from mmbench.report.stats.ratios import Ratio, geometric_ratio
from mmbench.report.stats.speed import ArmTime, CensoredShare, PairTime, SpeedBounds, Speedup, speedup
from mmbench.report.stats.trend import Point, Step, steps
from mmbench.report.stats.usage import Amount, PairSpend, Spend, UsageTable, usage_table

__all__ = [
    "MARGIN",
    "Adoption",
    "Amount",
    "ArmSummary",
    "ArmTime",
    "CaseDifference",
    "CensoredShare",
    "Comparison",
    "Course",
    "Design",
    "Lift",
    "Offer",
    "PairScore",
    "PairSpend",
    "PairTime",
    "Placed",
    "Point",
    "Rank",
    "Ranked",
    "Ratio",
    "SignFlip",
    "Slope",
    "SpeedBounds",
    "Speedup",
    "Spend",
    "Step",
    "UsageTable",
    "Verdict",
    "adoption",
    "arm_summary",
    "case_gains",
    "case_means",
    "clopper_pearson",
    "compare",
    "designs_needed",
    "excluded",
    "exclusion_bounds",
    "geometric_ratio",
    "holm",
    "lift",
    "mcnemar",
    "order_effect",
    "pareto_front",
    "pass_at",
    "pass_hat",
    "pass_rate",
    "per_protocol",
    "position_drift",
    "ranking",
    "share_interval",
    "sign_flip",
    "sound",
    "speedup",
    "steps",
    "usage_table",
    "verdict",
    "verdicts",
]
