import { quotasPage } from '../../../features/limits/pages';
import { organisationPage } from '../../../server/pages';

export const metadata = { title: 'Quotas' };
export default organisationPage(quotasPage);
