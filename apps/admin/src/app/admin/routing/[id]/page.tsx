import { policyPage } from '../../../../features/routing/pages';
import { platformPage } from '../../../../server/pages';

export const metadata = { title: 'Routing policy' };
export default platformPage(policyPage);
