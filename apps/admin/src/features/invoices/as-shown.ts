import { rest } from '@tollgate/contracts';

import { ApiError, type RestClient } from '../../api/rest-client';

/**
 * The ETag for issuing, voiding or deleting the invoice as shown. Rejects with 412 when the invoice
 * has changed, so that nobody issues something they have not seen.
 */
export async function asShown(
  client: RestClient,
  { id: invoiceId, organisationId, updatedAt, status }: rest.Invoice,
): Promise<{ readonly ifMatch?: string }> {
  const { value, etag } = await client.versioned(rest.getInvoice, {
    params: { organisationId, invoiceId },
  });
  if (value.updatedAt !== updatedAt || value.status !== status) {
    throw new ApiError(412, 'precondition_failed', 'The invoice has changed since you opened it.');
  }
  return etag === undefined ? {} : { ifMatch: etag };
}
