import { aliasesPage } from '../../../features/aliases/pages';
import { organisationPage } from '../../../server/pages';

export const metadata = { title: 'Aliases' };
export default organisationPage(aliasesPage);
