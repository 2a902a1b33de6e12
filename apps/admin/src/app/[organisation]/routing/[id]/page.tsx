import { policyPage } from '../../../../features/routing/pages';
import { organisationPage } from '../../../../server/pages';

export const metadata = { title: 'Routing policy' };
export default organisationPage(policyPage);
