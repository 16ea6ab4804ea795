"""Jobs on local processes or on a Dask cluster: the same results, bit for bit."""
