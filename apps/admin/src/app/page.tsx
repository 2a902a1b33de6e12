import { redirect } from 'next/navigation';

import { viewer } from '../server/viewer';
import { FailurePage } from '../shell/failure-page';
import { homeOf } from '../shell/paths';

export default async function Home() {
  const found = await viewer();
  if (!found.ok) return <FailurePage error={found.error} />;
  redirect(homeOf(found.me));
}
