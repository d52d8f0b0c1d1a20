import type { PageName, PageParameters } from '../pages/index.js';
import type { PageSource } from '../pages/page-source.js';
import type { Document } from '../xml/document-bytes.js';

/** How operations get the pages of listings, wherever they are made. */
export interface PageRenderer {
  /**
   * @throws S3Error and BackendError as the page; `ServiceUnavailable` when too many pages wait, or
   *   when the thread that made this one was lost
   */
  render<Name extends PageName>(
    name: Name,
    source: PageSource,
    parameters: PageParameters<Name>,
  ): Promise<Document>;
}
