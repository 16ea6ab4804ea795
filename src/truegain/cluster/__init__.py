"""Jobs on a Dask cluster: the same results, bit for bit, as on one machine."""

from truegain.cluster.cluster import Cluster

__all__ = ["Cluster"]
