//! What a person sees: bars, boards, charts.
