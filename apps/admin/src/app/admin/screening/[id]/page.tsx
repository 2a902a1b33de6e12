import { screeningPolicyPage } from '../../../../features/screening/pages';
import { platformPage } from '../../../../server/pages';

export const metadata = { title: 'Screening policy' };
export default platformPage(screeningPolicyPage);
