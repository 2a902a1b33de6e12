import { budgetsPage } from '../../../features/limits/pages';
import { organisationPage } from '../../../server/pages';

export const metadata = { title: 'Budgets' };
export default organisationPage(budgetsPage);
