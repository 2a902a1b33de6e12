import { apiKeysPage } from '../../../features/api-keys/pages';
import { organisationPage } from '../../../server/pages';

export const metadata = { title: 'API keys' };
export default organisationPage(apiKeysPage);
