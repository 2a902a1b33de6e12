import { policiesPage } from '../../../features/routing/pages';
import { platformPage } from '../../../server/pages';

export const metadata = { title: 'Routing policies' };
export default platformPage(policiesPage);
