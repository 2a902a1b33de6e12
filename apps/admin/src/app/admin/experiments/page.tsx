import { experimentsPage } from '../../../features/experiments/pages';
import { platformPage } from '../../../server/pages';

export const metadata = { title: 'Experiments' };
export default platformPage(experimentsPage);
