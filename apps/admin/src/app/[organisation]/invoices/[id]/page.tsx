import { invoicePage } from '../../../../features/invoices/pages';
import { organisationPage } from '../../../../server/pages';

export const metadata = { title: 'Invoice' };
export default organisationPage(invoicePage);
