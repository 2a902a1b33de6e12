import { experimentsPage } from '../../../features/experiments/pages';
import { organisationPage } from '../../../server/pages';

export const metadata = { title: 'Experiments' };
export default organisationPage(experimentsPage);
