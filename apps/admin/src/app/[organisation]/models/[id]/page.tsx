import { modelPage } from '../../../../features/models/pages';
import { organisationPage } from '../../../../server/pages';

export const metadata = { title: 'Model' };
export default organisationPage(modelPage);
