import { rest } from '@tollgate/contracts';

import { docsPage } from './docs-page';
import { openApiDocument, type OpenApiDocument } from './openapi';

export interface ApiDocs {
  readonly document: OpenApiDocument;
  /** The document as an HTML page. */
  readonly page: string;
}

let docs: ApiDocs | undefined;

/** The description of the management API. The first call takes half a second. */
export function apiDocs(): ApiDocs {
  if (docs === undefined) {
    const document = openApiDocument(rest.ENDPOINTS);
    docs = { document, page: docsPage(document) };
  }
  return docs;
}
