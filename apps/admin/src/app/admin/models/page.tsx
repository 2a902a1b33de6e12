import { modelsPage } from '../../../features/models/pages';
import { platformPage } from '../../../server/pages';

export const metadata = { title: 'Models' };
export default platformPage(modelsPage);
