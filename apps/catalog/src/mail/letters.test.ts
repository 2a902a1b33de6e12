import { writeLetter } from './letters';

it('no name adds a line, a header or an element of its own', () => {
  const { subject, text, html } = writeLetter('INVITATION', {
    link: 'https://console.example.com/accept-invitation#token=abc',
    organisationName: 'Acme\r\nBcc: everyone@example.com',
    inviterName: '<script>alert("x")</script>\u2028& Co',
    expiresAt: '2026-01-02 00:00 UTC',
  });
  expect(subject).toBe('Invitation to Acme Bcc: everyone@example.com');
  expect(text.split('\n')[0]).toBe(
    '<script>alert("x")</script> & Co invites you to join Acme Bcc: everyone@example.com on Tollgate.',
  );
  expect(html).toContain('&lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt; &amp; Co');
  expect(html).not.toMatch(/<script|<img|src=/);
});
