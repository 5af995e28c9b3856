"""Planning: what a run will ask and cost, before anything is paid."""
