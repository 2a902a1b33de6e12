import { modelsPage } from '../../../features/models/pages';
import { organisationPage } from '../../../server/pages';

export const metadata = { title: 'Models' };
export default organisationPage(modelsPage);
