import { testQuickCases } from "./kills";

testQuickCases("dynamic");
