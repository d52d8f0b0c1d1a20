"""What Ringway needs from a Swift proxy that stock Swift does not do.

Two filters for one pipeline (docs/swift.md tells how to install them):

``filter_factory``, directly right of ``gatekeeper``, knows the gateway by its
signature, and lets it, and nobody else, read and write system metadata, which
the gatekeeper takes from every client.

``guard_factory``, left of the last ``proxy-logging proxy-server``, sees what
really reaches the store, sub-requests of other middleware included. It keeps
everybody but the gateway from writing where locks live, makes exclusive
creation exclusive across all proxies, tells the gateway of followed links, and
reads what they and manifests lead to by the rights of the gateway's requester.

Either alone is refused at start. Works with Swift 2.30 to 2.38, Python 3.9+.
"""

from ringway_filter.front import filter_factory
from ringway_filter.guard import guard_factory

__all__ = ['filter_factory', 'guard_factory']
