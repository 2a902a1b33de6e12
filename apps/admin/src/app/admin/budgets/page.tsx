import { budgetsPage } from '../../../features/limits/pages';
import { platformPage } from '../../../server/pages';

export const metadata = { title: 'Budgets' };
export default platformPage(budgetsPage);
