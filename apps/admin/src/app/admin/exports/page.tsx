import { platformExportsPage } from '../../../features/exports/pages';
import { widePage } from '../../../server/pages';

export const metadata = { title: 'Exports' };
export default widePage(platformExportsPage);
