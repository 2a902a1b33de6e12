import { exportsPage } from '../../../features/exports/pages';
import { organisationPage } from '../../../server/pages';

export const metadata = { title: 'Exports' };
export default organisationPage(exportsPage);
