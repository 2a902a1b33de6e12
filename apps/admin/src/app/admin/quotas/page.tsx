import { quotasPage } from '../../../features/limits/pages';
import { platformPage } from '../../../server/pages';

export const metadata = { title: 'Quotas' };
export default platformPage(quotasPage);
