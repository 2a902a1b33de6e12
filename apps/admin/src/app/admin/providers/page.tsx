import { providersPage } from '../../../features/providers/pages';
import { platformPage } from '../../../server/pages';

export const metadata = { title: 'Providers' };
export default platformPage(providersPage);
