import { apiKeyPage } from '../../../../features/api-keys/pages';
import { organisationPage } from '../../../../server/pages';

export const metadata = { title: 'API key' };
export default organisationPage(apiKeyPage);
