import { policiesPage } from '../../../features/routing/pages';
import { organisationPage } from '../../../server/pages';

export const metadata = { title: 'Routing policies' };
export default organisationPage(policiesPage);
