import { aliasesPage } from '../../../features/aliases/pages';
import { platformPage } from '../../../server/pages';

export const metadata = { title: 'Aliases' };
export default platformPage(aliasesPage);
