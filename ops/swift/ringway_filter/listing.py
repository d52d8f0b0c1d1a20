"""Listings for others than the gateway.

The gateway keeps attributes of an object with its entry in the listing, as
parameters behind the hash: ``<md5>; s3_etag=<etag>; rw_<name>=<value>``. Swift
itself does so with ``slo_etag`` and ``symlink_target``, and takes them out for
clients. Here all ``rw_*`` are taken out, and ``s3_etag`` where no s3api is in
the pipeline to do that.
"""

import json

from swift.common.registry import get_swift_info
from swift.common.utils import close_if_possible
from swift.common.wsgi import WSGIContext

#: What must be in a listing that has any of them, as JSON has it.
_RINGWAY = b'; rw_'
_S3_ETAG = b'; s3_etag='


def serve_listing(app, env, start_response):
    """A container's listing; JSON always, as other formats are made of it by
    the ``listing_formats`` filter, further left."""
    context = WSGIContext(app)
    chunks = context._app_call(env)
    if context._get_status_int() == 200:
        chunks = _cleaned(context, chunks)
    start_response(context._response_status, context._response_headers,
                   context._response_exc_info)
    return chunks


def _cleaned(context, chunks):
    content_type = context._response_header_value('content-type') or ''
    if not content_type.startswith('application/json'):
        return chunks
    try:
        body = b''.join(chunks)
    finally:
        close_if_possible(chunks)
    # s3api registers itself when the pipeline is made.
    with_s3_etag = 's3api' not in get_swift_info()
    if _RINGWAY in body or (with_s3_etag and _S3_ETAG in body):
        body = clean_listing(body, with_s3_etag)
        context.update_content_length(len(body))
    return [body]


def clean_listing(body, with_s3_etag):
    """:param body: JSON of a listing; :returns: the same without attributes"""
    entries = json.loads(body)
    for entry in entries:
        if 'hash' in entry:
            kept, s3_etag = _clean_hash(entry['hash'], with_s3_etag)
            entry['hash'] = kept
            if s3_etag is not None:
                # as s3api has it
                entry['s3_etag'] = '"%s"' % s3_etag
    return json.dumps(entries).encode('ascii')


def _clean_hash(text, with_s3_etag):
    """:returns: the hash with the parameters that remain, and S3's ETag if it
        was taken out"""
    kept, s3_etag = [], None
    for part in text.split('; '):
        name, equals, value = part.partition('=')
        if equals and name == 's3_etag' and with_s3_etag:
            s3_etag = value
        elif not (equals and name.startswith('rw_')):
            kept.append(part)
    return '; '.join(kept), s3_etag
