import { playgroundPage } from '../../../features/playground/pages';
import { organisationPage } from '../../../server/pages';

export const metadata = { title: 'Playground' };
export default organisationPage(playgroundPage);
