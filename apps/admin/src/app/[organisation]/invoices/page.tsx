import { invoicesPage } from '../../../features/invoices/pages';
import { organisationPage } from '../../../server/pages';

export const metadata = { title: 'Invoices' };
export default organisationPage(invoicesPage);
