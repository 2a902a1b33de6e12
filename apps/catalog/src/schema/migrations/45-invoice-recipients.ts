import { defineMigration } from './define-migration';

/**
 * To whom an organisation's invoices are made out, kept by each invoice as it was; and the names of a line's
 * objects as they were. Columns are null or have a default without rewriting a row. The release before leaves
 * them out of its INSERTs: its invoices have no recipient, and names of its lines are looked up.
 */
export const invoiceRecipients = defineMigration(
  'InvoiceRecipients1764000000045',
  `
  ALTER TABLE organisation
    ADD COLUMN billing_name text NOT NULL DEFAULT '',
    ADD COLUMN billing_address text NOT NULL DEFAULT '',
    ADD COLUMN tax_number text NOT NULL DEFAULT '';
  ALTER TABLE invoice
    ADD COLUMN billing_name text NOT NULL DEFAULT '',
    ADD COLUMN billing_address text NOT NULL DEFAULT '',
    ADD COLUMN tax_number text NOT NULL DEFAULT '';
  ALTER TABLE invoice_line
    ADD COLUMN team_name text,
    ADD COLUMN api_key_name text,
    ADD COLUMN model_name text,
    ADD COLUMN mcp_server_name text;
`,
  `
  ALTER TABLE invoice_line
    DROP COLUMN team_name,
    DROP COLUMN api_key_name,
    DROP COLUMN model_name,
    DROP COLUMN mcp_server_name;
  ALTER TABLE invoice
    DROP COLUMN billing_name,
    DROP COLUMN billing_address,
    DROP COLUMN tax_number;
  ALTER TABLE organisation
    DROP COLUMN billing_name,
    DROP COLUMN billing_address,
    DROP COLUMN tax_number;
`,
);
