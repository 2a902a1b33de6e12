import { usagePage } from '../../../features/usage/pages';
import { organisationPage } from '../../../server/pages';

export const metadata = { title: 'Usage' };
export default organisationPage(usagePage);
