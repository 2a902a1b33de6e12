import { modelPage } from '../../../../features/models/pages';
import { platformPage } from '../../../../server/pages';

export const metadata = { title: 'Model' };
export default platformPage(modelPage);
