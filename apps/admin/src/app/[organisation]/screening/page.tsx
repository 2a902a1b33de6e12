import { screeningPoliciesPage } from '../../../features/screening/pages';
import { organisationPage } from '../../../server/pages';

export const metadata = { title: 'Screening' };
export default organisationPage(screeningPoliciesPage);
