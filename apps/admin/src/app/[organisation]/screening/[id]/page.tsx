import { screeningPolicyPage } from '../../../../features/screening/pages';
import { organisationPage } from '../../../../server/pages';

export const metadata = { title: 'Screening policy' };
export default organisationPage(screeningPolicyPage);
