export { type ReportFile, type ReportInput } from './report-input.js'
export { renderReports } from './render-reports.js'
