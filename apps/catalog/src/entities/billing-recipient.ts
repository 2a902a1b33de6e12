import { Column } from 'typeorm';

/** To whom invoices are made out: columns of the organisation, and of each invoice as they were. */
export abstract class BillingRecipient {
  /** Empty: the organisation's own name. */
  @Column('text', { default: '' })
  billingName!: string;

  /** Lines of the address; empty: none. */
  @Column('text', { default: '' })
  billingAddress!: string;

  /** Such as a VAT number; empty: none. */
  @Column('text', { default: '' })
  taxNumber!: string;
}
