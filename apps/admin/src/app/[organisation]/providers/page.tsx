import { providersPage } from '../../../features/providers/pages';
import { organisationPage } from '../../../server/pages';

export const metadata = { title: 'Providers' };
export default organisationPage(providersPage);
