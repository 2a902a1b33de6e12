import { platformInvoicesPage } from '../../../features/invoices/pages';
import { widePage } from '../../../server/pages';

export const metadata = { title: 'Invoices' };
export default widePage(platformInvoicesPage);
