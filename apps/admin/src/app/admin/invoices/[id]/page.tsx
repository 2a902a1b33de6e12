import { invoicePage } from '../../../../features/invoices/pages';
import { platformPage } from '../../../../server/pages';

export const metadata = { title: 'Invoice' };
export default platformPage(invoicePage);
