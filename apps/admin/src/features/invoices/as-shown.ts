import { rest } from '@tollgate/contracts';
import { ApiError, type RestClient } from '../../api/rest-client';

/**
 * The ETag with which an invoice is issued, voided or deleted: of the invoice that was looked at. Rejects
 * with 412 when it is no longer that, so that nobody issues what they have not seen.
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
