import type { Locator, Page } from 'playwright-core'

/** Opens the row of a hook in the Preferences, unless it is open. */
export const openRow = async (row: Locator): Promise<Locator> => {
  if ((await row.locator('details').first().getAttribute('open')) === null)
    await row.locator('summary').first().click()
  return row
}

/** Opens the row that has this handle, and its details, as one has to before an approval counts. */
export const readRow = async (page: Page, handle: string): Promise<Locator> => {
  const row = await openRow(page.getByRole('listitem', { name: `Hook ${handle}` }))
  await row.getByText('Details', { exact: true }).click()
  return row
}
