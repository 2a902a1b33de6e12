import { screeningPoliciesPage } from '../../../features/screening/pages';
import { platformPage } from '../../../server/pages';

export const metadata = { title: 'Screening' };
export default platformPage(screeningPoliciesPage);
